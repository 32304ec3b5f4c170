import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { installedProgram } from '@leadtrail/testing/installed-program';

const run = promisify(execFile);

/** What a theme with these functions puts into the head of a page. */
export async function renderedByWordPress(functions: string): Promise<string> {
  const php = await installedProgram({
    name: 'PHP',
    paths: ['/usr/bin/php', '/usr/local/bin/php', '/opt/homebrew/bin/php'],
    debianPackage: 'php-cli',
    variable: 'PHP',
  });
  const page = `
    $actions = [];
    function add_action($hook, $callback) { $GLOBALS['actions'][$hook][] = $callback; }
    ${functions}
    foreach ($actions['wp_head'] as $callback) $callback();`;
  const { stdout } = await run(php, ['-n', '-d', 'display_errors=stderr', '-r', page]);
  return stdout;
}
