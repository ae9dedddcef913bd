import { leastIdleSeconds, type Settings } from '../platform/config/settings.js'
import { ApiError } from '../platform/errors/api-error.js'
import { fieldError } from '../platform/errors/field-faults.js'
import { type About, Whole } from '../platform/http/fields.js'

/** Whether a number is too small also depends on the settings: {@link requireIdleTimeout}. */
const MAX_SECONDS = 30 * 24 * 60 * 60

/** The idle timeout of an account or a satellite; null for none of its own. */
export const IdleSeconds = (about: About = {}) =>
  Whole({ ...about, nullable: true, min: 1, max: MAX_SECONDS })

/** Throws `INVALID_BODY` for one that would end sessions in use; null and undefined are none. */
export function requireIdleTimeout(settings: Settings, idleSeconds: number | null | undefined): void {
  const min = leastIdleSeconds(settings)
  if (typeof idleSeconds !== 'number' || idleSeconds >= min) return
  throw new ApiError('INVALID_BODY', { errors: [fieldError('idleSeconds', 'IDLE_TOO_SHORT', { min })] })
}
