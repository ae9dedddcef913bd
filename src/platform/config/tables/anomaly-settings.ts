import { anomalyPolicy } from '../anomaly-policy.js'
import type { SettingsTable } from '../reading/setting.js'
import * as read from '../reading/setting-readers.js'

export const ANOMALY_SETTINGS = {
  anomalyPolicy: {
    name: 'ANOMALY_POLICY',
    read: anomalyPolicy,
    // Nobody is logged out: a phone that changes between Wi-Fi and mobile network scores 15, somebody who turns
    // on a VPN 50, another kind of browser on another network 60.
    default: 'log:1,notify:60,reauthenticate:60',
    meaning:
      'What is done about an unusual login or refresh, and from which score (1 to 100): `log`, `notify` (a mail), ' +
      '`reauthenticate` (a recent re-authentication no longer counts), `revoke` (the session ends, a login is ' +
      'refused); see [docs/operations.md](docs/operations.md#anomalies)',
  },
  geoIpFile: {
    name: 'GEOIP_FILE',
    read: read.orNull(read.asText),
    default: '',
    defaultInWords: 'locations are unknown',
    meaning: 'City database in MMDB format (GeoLite2 City, DB-IP City Lite), read once at start',
  },
} as const satisfies SettingsTable
