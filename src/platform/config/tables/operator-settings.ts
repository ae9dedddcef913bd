import * as address from '../reading/address-readers.js'
import type { SettingsTable } from '../reading/setting.js'
import * as read from '../reading/setting-readers.js'

export const OPERATOR_SETTINGS = {
  operatorOrigin: {
    name: 'OPERATOR_ORIGIN',
    read: read.orNull(address.exactOrigin),
    default: '',
    defaultInWords: 'there is no console',
    meaning:
      'The exact origin of the operator console, at a host of its own that points to this service; see ' +
      '[docs/operations.md](docs/operations.md#the-operator-console)',
    examples: { production: 'https://operators.example.com' },
  },
  operatorAddresses: {
    name: 'OPERATOR_ADDRESSES',
    read: read.listOf(address.proxyAddress),
    default: { production: '', otherwise: '127.0.0.0/8,::1' },
    meaning:
      'IP addresses or CIDR blocks, comma-separated, from which the console can be reached; for others it ' +
      'does not exist. Required in production where there is a console',
    examples: { production: '203.0.113.0/24' },
  },
} as const satisfies SettingsTable
