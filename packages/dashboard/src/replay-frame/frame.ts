/**
 * A recording is a page that somebody else has written. It is rebuilt where nothing of the dashboard can be reached:
 * in a document of a `data:` address, which has an origin that equals no other, and the policy of this page. The
 * attribute `sandbox` would make such an origin too, but another one for every frame inside, and the player has to
 * write into its own.
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
