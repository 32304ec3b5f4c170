/** Files and folders in DATA_DIR; docs/OPERATIONS.md says what each of them holds. */
export const DATABASE_FILE = 'leadtrail.db';
export const INBOX_DIR = 'inbox';
export const LEAD_LOG_DIR = 'lead-log';
export const OBJECTS_DIR = 'objects';
export const ANSWERS_DIR = 'answers';
export const SENDERS_FILE = 'senders.json';
export const KEY_FILE = 'keys.json';
