import type { SpamCheckProvider } from '@leadtrail/contract/form-settings';

/** The captcha providers. */
export type Captcha = {
  /** Never rejects: failures of the provider are an outcome, too. */
  verify(asked: CaptchaQuestion): Promise<CaptchaOutcome>;
  close(): void;
};

export type CaptchaQuestion = {
  provider: SpamCheckProvider;
  siteKey: string;
  secret: string;
  /** The widget's response. */
  token: string;
  /** The sender's address. */
  ip: string;
};

/** `reason` holds neither token nor secret. */
export type CaptchaOutcome = { result: 'passed' | 'failed' } | { result: 'unavailable'; reason: string };
