/**
 * Texts for visitors; the service's own messages are for developers.
 * Other languages come with the configuration.
 */
export const english: Record<string, string> = {
  sending: 'Sending…',
  offline: 'You seem to be offline. Nothing is lost: please send the form again once you are connected.',
  kept: 'Your message is kept and sent by itself as soon as possible.',
  invalid: 'Some of your input was not accepted. Please check it and send it again.',
  refused: 'The form cannot be sent from this page. Please contact us another way.',
  too_large: 'The form is too large to send. Please shorten the text or remove files.',
};
