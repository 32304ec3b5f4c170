import { buildApp } from '../../server/src/app.ts';
import { readConfig } from '../../server/src/config.ts';

/**
 * The service with a long timeout for its store. With the usual one, a busy machine puts leads into the lead log and
 * answers 503 to writes that may have been made; a test of what is shown after a write cannot tell.
 */

const STORE_TIMEOUT_MS = 60_000;

const app = await buildApp(readConfig(process.env), { postgresMsMax: STORE_TIMEOUT_MS });
app.log.info('listening', { port: await app.listen() });
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)));
