import { expect, it } from '@jest/globals'
import { type Settings, waysIn } from '../../sources.js'

const LISTED = {
  satelliteOrigins: new Set(['http://127.0.0.1:3001']),
  isRegistryOnly: false,
} as unknown as Pick<Settings, 'satelliteOrigins' | 'isRegistryOnly'>

it.each([
  [
    'http://localhost:9999',
    LISTED,
    'restart with ALLOWED_ORIGINS=http://127.0.0.1:3001,http://localhost:9999; or add it in the account, under Satellites, without a restart; or restart with MAIN_ORIGIN=http://localhost:9999 if it is the main site (port 3000, 3001, 4000, 4200, 5173, 8080 at localhost or 127.0.0.1 needs none of that)',
  ],
  // No account can have an address without a name.
  [
    'http://127.0.0.1:9999',
    LISTED,
    'restart with ALLOWED_ORIGINS=http://127.0.0.1:3001,http://127.0.0.1:9999; or restart with MAIN_ORIGIN=http://127.0.0.1:9999 if it is the main site (port 3000, 3001, 4000, 4200, 5173, 8080 at localhost or 127.0.0.1 needs none of that)',
  ],
  [
    'https://shop.example',
    { ...LISTED, isRegistryOnly: true },
    'add it in the account, under Satellites, without a restart; or restart with MAIN_ORIGIN=https://shop.example if it is the main site',
  ],
  ['http://192.168.0.7:5173', LISTED, 'pages on other machines need https'],
  ['null', LISTED, 'a page from a file or in a sandboxed frame has no origin; serve it at localhost'],
] as const)('a developer reads how pages of %s are let in', (origin, settings, ways) => {
  expect(waysIn(origin, settings)).toBe(ways)
})
