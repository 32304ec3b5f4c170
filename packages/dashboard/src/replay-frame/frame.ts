/**
 * A recording is untrusted HTML. The player runs in a `data:` document, which has an opaque origin and inherits this
 * page's Content-Security-Policy. The `sandbox` attribute would give nested frames an opaque origin each, and the
 * player has to write into its own frame.
 */

const PLAYER = 'data:';

if (location.protocol === PLAYER) void import('./player.ts').then(({ openPlayer }) => openPlayer());
else embedPlayer();

function embedPlayer(): void {
  const script = document.createElement('script');
  script.type = 'module';
  script.src = import.meta.url;
  const page = `<!doctype html><meta charset="utf-8"><title>Recording</title><body>${script.outerHTML}`;

  const frame = document.createElement('iframe');
  frame.title = 'Recording';
  frame.src = `${PLAYER}text/html;charset=utf-8,${encodeURIComponent(page)}`;
  frame.style.cssText = 'position: fixed; inset: 0; width: 100%; height: 100%; border: 0';
  document.body.append(frame);
}
