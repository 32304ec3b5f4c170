/** Prepended to the script by the service. */
declare const LEADTRAIL_CONFIG: {
  /** Relative path from the script to the service's root. */
  root: string;
  /** The tracking endpoints, relative to the root. */
  track: string;
  /** The replay recorder, relative to the root. */
  recorder: string;
  /** The optional features of forms, relative to the root. */
  extras: string;
  /** The listener for consent tools, relative to the root. */
  consent: string;
  /** The share of sessions to record, 0 to 1. */
  replayRate: number;
};

export const config = LEADTRAIL_CONFIG;

/** `currentScript` is set only while the script first runs. */
export const tag = document.currentScript as HTMLScriptElement | null;

const from = tag?.src || document.URL;
const endpoint = tag?.dataset.endpoint;

/** The service's root: relative to the script, so that a proxy only has to forward a folder. */
export const root = endpoint
  ? new URL(endpoint, from).href.replace(/\/?$/, '/')
  : // Concatenated, which is faster than `new URL`; the browser resolves the dots.
    `${from.split(/[?#]/)[0]}/../${config.root}`;
