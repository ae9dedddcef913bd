import { loadOpenTelemetry } from '../../../app.js'
import type { Settings } from '../../../platform/config/settings.js'
import { GeoIp } from '../../../platform/geoip.js'
import { readTlsFiles } from '../../../platform/http/edge/tls-files.js'
import { certificateFinding } from '../certificate.js'
import type { Check } from '../finding.js'
import { faultsOf } from './settings-check.js'

/** What usable settings have the service load when it starts; what cannot be loaded keeps it from starting. */
export function startChecks({ tls, geoIpFile, operation, publicUrl }: Settings, now: Date): Check[] {
  const checks: Check[] = []
  if (tls)
    checks.push({
      name: 'settings.tls',
      todo: 'Put a certificate and its key there, in PEM',
      run: () => [certificateFinding('settings.tls', readTlsFiles(tls).cert, publicUrl, now)],
    })
  if (geoIpFile)
    checks.push({
      name: 'settings',
      todo: 'Put a city database (MMDB) there, or unset GEOIP_FILE',
      run: () => {
        GeoIp.load(geoIpFile)
        return []
      },
    })
  if (operation.tracesUrl)
    checks.push({
      name: 'settings',
      todo: 'Unset OTEL_EXPORTER_OTLP_ENDPOINT',
      run: () => loadOpenTelemetry().then(() => [], faultsOf),
    })
  return checks
}
