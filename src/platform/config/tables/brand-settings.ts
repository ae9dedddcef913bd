import { LANGUAGES } from '../languages.js'
import * as address from '../reading/address-readers.js'
import type { SettingsTable } from '../reading/setting.js'
import * as read from '../reading/setting-readers.js'

export const BRAND_SETTINGS = {
  name: {
    name: 'SITE_NAME',
    read: read.siteName,
    default: 'Mainstay',
    meaning: 'What people call the main site: in its pages, in mails and in authenticator apps',
    examples: { production: 'Example' },
  },
  logoUrl: {
    name: 'SITE_LOGO_URL',
    read: read.orNull(address.addressOf('https:')),
    default: '',
    defaultInWords: 'pages show the name alone, mails its first letter',
    meaning: 'A picture (https) beside the name in pages and mails, at most 32 pixels high in mails',
  },
  accent: {
    name: 'SITE_ACCENT',
    read: read.color,
    default: '#3b4fd8',
    meaning:
      'The colour of buttons and links, as `#rrggbb`; made darker or lighter where it would be hard to read',
  },
  supportUrl: {
    name: 'SUPPORT_URL',
    read: read.orNull(address.addressOf('https:', 'mailto:')),
    default: '',
    defaultInWords: 'pages and mails show no help link',
    meaning: 'Where people get help, such as `mailto:help@example.com` or a page (https)',
    examples: { production: 'mailto:help@example.com' },
  },
  defaultLanguage: {
    name: 'DEFAULT_LANGUAGE',
    read: read.oneOf(...LANGUAGES),
    default: 'en',
    meaning:
      'The language of pages when a browser asks for none of the available ones, and of mails to people whose language is not known',
  },
} as const satisfies SettingsTable
