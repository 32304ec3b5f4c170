/** What the service says about itself; it puts this in front of the script when it serves it. */
declare const LEADTRAIL_CONFIG: {
  /** From the script's own address to where the service's addresses begin. */
  root: string;
  /** The tracking endpoints, from there. */
  track: string;
  /** The replay recorder, from there. */
  recorder: string;
  /** Which part of the sessions is recorded, 0 to 1. */
  replayRate: number;
};

export const config = LEADTRAIL_CONFIG;

/** Only there while the script runs for the first time. */
export const tag = document.currentScript as HTMLScriptElement | null;

const from = tag?.src || document.URL;
const endpoint = tag?.dataset.endpoint;

/** Where the service is reached: beside the script, so that a proxy needs no more than to pass it on. */
export const root = endpoint
  ? new URL(endpoint, from).href.replace(/\/?$/, '/')
  : // Put together as text, which takes less time; whoever asks it makes sense of the dots.
    `${from.split(/[?#]/)[0]}/../${config.root}`;
