import type { Origin } from '../origin.js'
import type { Settings } from '../settings.js'

interface OtherAddresses extends Pick<Settings, 'mainOrigin' | 'publicUrl'> {
  readonly allowedOrigins: readonly Origin[] | undefined
}

/** What is wrong with the address of the operator console. A setting that is itself wrong is undefined. */
export function operatorFaults(
  origin: Origin | null | undefined,
  addresses: readonly string[] | undefined,
  { mainOrigin, publicUrl, allowedOrigins = [] }: OtherAddresses,
): string[] {
  if (!origin) return []
  const { hostname } = new URL(origin)
  // Cookies do not know ports.
  const taken = [mainOrigin, publicUrl, ...allowedOrigins].filter(
    other => URL.canParse(other) && new URL(other).hostname === hostname,
  )
  return [
    ...(taken.length > 0
      ? [`OPERATOR_ORIGIN ${origin} has the host of ${taken[0]}; the console needs one of its own`]
      : []),
    ...(addresses?.length === 0 ? ['OPERATOR_ADDRESSES must say from where the console can be reached'] : []),
  ]
}
