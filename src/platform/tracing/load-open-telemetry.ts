import { SettingsError } from '../config/read-settings.js'

/** The module that needs OpenTelemetry's packages. Throws a {@link SettingsError} where they are not installed. */
export async function loadOpenTelemetry() {
  try {
    return await import('./open-telemetry.js')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new SettingsError([
      'OTEL_EXPORTER_OTLP_ENDPOINT needs packages that are not installed: see Traces in docs/operations.md',
    ])
  }
}
