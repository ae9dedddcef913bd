import * as address from '../reading/address-readers.js'
import { REQUIRED, type SettingsTable } from '../reading/setting.js'
import * as read from '../reading/setting-readers.js'
import { SITE_NAMES } from '../site-name.js'

export const ADDRESS_SETTINGS = {
  publicUrl: {
    name: 'PUBLIC_URL',
    read: address.baseUrl,
    default: { production: REQUIRED, otherwise: 'http://localhost:<PORT>' },
    meaning: 'Where clients reach the API; https in production',
    examples: { production: 'https://api.example.com' },
  },
  mainOrigin: {
    name: 'MAIN_ORIGIN',
    read: address.exactOrigin,
    default: { production: REQUIRED, otherwise: 'http://localhost:<PORT>' },
    meaning:
      'The exact origin of the main site, the only one that may send the session cookie and start payments',
    examples: { production: 'https://www.example.com' },
  },
  allowedOrigins: {
    name: 'ALLOWED_ORIGINS',
    read: read.listOf(address.exactOrigin),
    default: REQUIRED,
    meaning:
      'The exact origins of the satellites, comma-separated: `scheme://host[:port]`, no trailing slash, no wildcards; ' +
      'http is accepted outside production, on loopback hosts; MAIN_ORIGIN alone where all satellites are registered by accounts',
    examples: {
      // The main site's https twin too.
      development:
        'http://localhost:<PORT>,https://localhost:<PORT>,http://127.0.0.1:<PORT+1>,https://127.0.0.1:<PORT+1>',
      production: 'https://shop-one.example.net,https://shop-two.example.org',
    },
  },
  isRegistryOnly: {
    name: 'SATELLITES',
    read: read.choiceOf({ listed: false, registry: true }),
    default: 'listed',
    meaning:
      'Which satellites there are: `listed`, those of ALLOWED_ORIGINS, for every account, and those that accounts have registered; ' +
      '`registry`, only the latter',
  },
  dnsServers: {
    name: 'DNS_SERVERS',
    read: read.listOf(address.nameServer),
    default: '',
    defaultInWords: "the machine's own",
    meaning: 'The name servers, `address[:port]`, where the proofs of satellites are looked up',
  },
  pages: {
    name: 'PAGES',
    read: read.listOf(read.oneOf(...SITE_NAMES)),
    default: '',
    defaultInWords: 'the service serves no pages',
    meaning:
      'The sites whose pages this service serves itself, comma-separated: `main` at the host of MAIN_ORIGIN, `satellite` ' +
      'at the host of every active satellite that points here; see [docs/operations.md](docs/operations.md#the-pages)',
    examples: { development: 'main' },
  },
  cookieDomain: {
    name: 'COOKIE_DOMAIN',
    read: read.orNull(address.hostName),
    default: '',
    defaultInWords: 'the cookie is host-only',
    meaning: 'The domain that shares the session cookie; it must cover the main site and the API',
    examples: { production: 'example.com' },
  },
  passkeyRpId: {
    name: 'PASSKEY_RP_ID',
    read: read.orNull(address.hostName),
    default: '',
    defaultInWords: 'the host of MAIN_ORIGIN',
    meaning:
      'The domain that passkeys belong to: the host of the main site or a domain above it. Passkeys cannot move to another, ' +
      'so the service does not start with another one while there are some',
    examples: { production: 'example.com' },
  },
  passkeyRelatedOrigins: {
    name: 'PASSKEY_RELATED_ORIGINS',
    read: read.listOf(address.exactOrigin),
    default: '',
    defaultInWords: 'passkeys work on the main site only',
    meaning:
      'Further origins of your own, from ALLOWED_ORIGINS, where the same passkeys work; browsers accept at most five names ' +
      '(`brand` of `www.brand.example`)',
  },
} as const satisfies SettingsTable
