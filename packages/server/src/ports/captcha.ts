import type { SpamCheckProvider } from '@leadtrail/contract/form-settings';

/** The providers of widgets that tell people from programs. */
export type Captcha = {
  /** Whatever the provider does is an outcome, never a rejection. */
  verify(asked: CaptchaQuestion): Promise<CaptchaOutcome>;
  close(): void;
};

export type CaptchaQuestion = {
  provider: SpamCheckProvider;
  siteKey: string;
  secret: string;
  /** What the widget has put into the form. */
  token: string;
  /** The sender's address. */
  ip: string;
};

/** `reason` holds neither token nor secret. */
export type CaptchaOutcome = { result: 'passed' | 'failed' } | { result: 'unavailable'; reason: string };
