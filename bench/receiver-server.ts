import { createServer } from 'node:http';

/** An automation platform that counts requests. With SILENT it listens but never answers. */
let received = 0;
let firstAt = 0;
let lastAt = 0;
createServer((request, response) => {
  if (process.env.SILENT !== undefined) return;
  request.resume();
  request.on('end', () => {
    if (request.method === 'GET') return response.end(JSON.stringify({ received, ms: lastAt - firstAt }));
    received += 1;
    lastAt = performance.now();
    firstAt ||= lastAt;
    response.end('{"ok":true}');
  });
}).listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening'));
