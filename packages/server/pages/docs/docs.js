// What the documentation can do in a browser: find an endpoint, copy an example, send a request.

const operations = [...document.querySelectorAll('details')];
const search = document.querySelector('#search');
const key = document.querySelector('#key');

document.querySelector('#tools').hidden = false;
search.addEventListener('input', filter);
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.matches('input, textarea')) return;
  event.preventDefault();
  search.focus();
});
for (const operation of operations)
  operation.addEventListener('toggle', () => equip(operation), { once: true });

/** Every word has to be in the path, the summary or a field. */
function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const operation of operations) {
    const text = operation.textContent.toLowerCase();
    operation.hidden = !words.every((word) => text.includes(word));
    if (!operation.hidden) found += 1;
  }
  for (const section of document.querySelectorAll('section')) {
    section.hidden = section.querySelector('details:not([hidden])') === null;
  }
  document.querySelector('#found').textContent = words.length === 0 ? '' : `${found} found`;
}

/** Only what is looked at gets its buttons. */
function equip(operation) {
  const example = operation.querySelector('.example');
  if (example === null) return;
  const copy = button('Copy');
  copy.className = 'copy';
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(example.textContent);
    copy.textContent = 'Copied';
  });
  example.after(copy, tryForm(operation, example.textContent));
}

/** The path as the example has it, to be changed, and the body where there is one. */
function tryForm(operation, example) {
  const form = document.createElement('form');
  form.className = 'try';
  const [, path] = /\$LEADTRAIL_URL([^"]*)"/.exec(example);
  const [, body] = /-d '([\s\S]*)'$/.exec(example) ?? [];
  const address = field('Path', Object.assign(document.createElement('input'), { value: path }));
  form.append(address.label);
  const sent = body === undefined ? undefined : field('Body', document.createElement('textarea'));
  if (sent !== undefined) {
    sent.input.value = body.replaceAll(String.raw`'\''`, "'");
    sent.input.rows = Math.min(12, sent.input.value.split('\n').length + 1);
    form.append(sent.label);
  }
  const answer = document.createElement('pre');
  answer.hidden = true;
  answer.tabIndex = 0;
  answer.setAttribute('role', 'status');
  form.append(button('Send', 'submit'), answer);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    answer.hidden = false;
    answer.textContent = 'Sending…';
    answer.textContent = await request(operation.dataset.method, address.input.value, sent?.input.value);
  });
  return form;
}

async function request(method, path, body) {
  const headers = { Accept: 'application/json' };
  if (key.value !== '') headers['X-API-Key'] = key.value;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  try {
    const response = await fetch(path, { method, headers, body, redirect: 'manual' });
    const text = await response.text();
    return `${response.status || 'A redirect'} ${response.statusText}\n\n${indented(text)}`;
  } catch (error) {
    return `Not sent: ${error.message}`;
  }
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function field(name, input) {
  const label = document.createElement('label');
  label.append(name, input);
  return { label, input };
}

function button(text, type = 'button') {
  return Object.assign(document.createElement('button'), { type, textContent: text });
}
