import * as address from '../reading/address-readers.js'
import type { SettingsTable } from '../reading/setting.js'
import * as read from '../reading/setting-readers.js'

export const MAIL_SETTINGS = {
  smtpUrl: {
    name: 'SMTP_URL',
    read: read.orNull(address.smtpUrl),
    default: '',
    defaultInWords: 'what needs mail is refused with 503 `MAIL_UNAVAILABLE`',
    meaning:
      'Mail server: `smtp://user:password@host:587` (STARTTLS, or unencrypted with `?tls=off`) or `smtps://…:465`; ' +
      'set together with `MAIL_FROM`',
    isSecret: true,
    // The mail outbox (dev/mail-outbox).
    examples: { development: 'smtp://localhost:<PORT+25>' },
  },
  from: {
    name: 'MAIL_FROM',
    read: read.orNull(address.sender),
    default: '',
    meaning: 'The sender of mails, such as `Mainstay <no-reply@example.com>`',
    examples: {
      development: 'Mainstay <no-reply@localhost>',
      production: 'Example <no-reply@example.com>',
    },
  },
} as const satisfies SettingsTable
