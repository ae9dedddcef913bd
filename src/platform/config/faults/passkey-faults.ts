import { parse } from 'tldts'
import { isSharedDomain, isWithin } from '../domain.js'
import type { Origin } from '../origin.js'
import type { Settings } from '../settings.js'

type PasskeyAddresses = Pick<Settings, 'mainOrigin' | 'passkeyRelatedOrigins'>

/** Browsers stop reading related origins after five different labels (WebAuthn Level 3 §5.11.1). */
const MAX_LABELS = 5

/**
 * What is wrong with the domain and the origins of passkeys. `rpId` is null when it is not set, `allowedOrigins`
 * undefined when that setting is itself missing or wrong.
 */
export function passkeyFaults(
  rpId: string | null | undefined,
  { mainOrigin, passkeyRelatedOrigins: related = [] }: PasskeyAddresses,
  allowedOrigins: readonly Origin[] | undefined,
): string[] {
  return [...rpIdFaults(rpId, mainOrigin), ...relatedFaults(related, mainOrigin, allowedOrigins)]
}

function rpIdFaults(rpId: string | null | undefined, mainOrigin: Origin): string[] {
  if (!rpId || !URL.canParse(mainOrigin)) return []
  const { hostname } = new URL(mainOrigin)
  if (rpId === hostname) return []
  if (!isWithin(hostname, rpId))
    return [`PASSKEY_RP_ID ${rpId} does not cover ${hostname}, so browsers would refuse all passkeys`]
  if (!isSharedDomain(rpId)) return []
  return [`PASSKEY_RP_ID ${rpId} is shared by everybody who has a name under it, so browsers would refuse it`]
}

function relatedFaults(
  related: readonly Origin[],
  mainOrigin: Origin,
  allowedOrigins: readonly Origin[] | undefined,
): string[] {
  const unlisted = related.filter(
    origin => origin === mainOrigin || (allowedOrigins && !allowedOrigins.includes(origin)),
  )
  const labels = new Set(related.map(labelOf))
  return [
    ...unlisted.map(
      origin => `PASSKEY_RELATED_ORIGINS has ${origin}, which is no satellite of ALLOWED_ORIGINS`,
    ),
    ...(labels.size > MAX_LABELS
      ? [`PASSKEY_RELATED_ORIGINS has ${labels.size} names; browsers stop at ${MAX_LABELS}`]
      : []),
  ]
}

/** The name that somebody has registered: `brand` of `https://www.brand.co.uk`. */
function labelOf(origin: Origin): string {
  const { hostname, domainWithoutSuffix } = parse(origin, { allowPrivateDomains: true })
  return domainWithoutSuffix || (hostname ?? origin)
}
