import { buildApp } from '../../server/src/app.ts';
import { readConfig } from '../../server/src/config.ts';

/**
 * The service, but it waits for its store for as long as it takes: on a busy machine no lead goes to the lead log, and no
 * write is refused, which leaves open whether it was made.
 */

const MS_MAX = 60_000;

const app = await buildApp(readConfig(process.env), { postgresMsMax: MS_MAX });
app.log.info('listening', { port: await app.listen() });
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)));
