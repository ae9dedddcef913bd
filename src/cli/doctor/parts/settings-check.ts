import { isWithin } from '../../../platform/config/domain.js'
import { SettingsError } from '../../../platform/config/read-settings.js'
import type { Settings } from '../../../platform/config/settings.js'
import { PlansFile } from '../../../platform/plans.js'
import { type Finding, fault, ok, warning } from '../finding.js'

const CHECK = 'settings'

/** The faults of settings that cannot be used; anything else is rethrown. */
export function faultsOf(error: unknown): Finding[] {
  if (!(error instanceof SettingsError)) throw error
  return error.faults.map(found => fault(CHECK, found, 'Correct it: the service does not start with it'))
}

/** Checks usable settings, and the plans file that they name. */
export function checkSettings(settings: Settings): Finding[] {
  const { environment, warnings } = settings
  return [
    ...planFaults(settings),
    ...warnings.map(text => warning(CHECK, text, 'Rename it')),
    ...proxyFindings(settings),
    ...cookieFindings(settings),
    ...passkeyFindings(settings),
    ok(CHECK, `usable, for ${environment}`),
  ]
}

function planFaults(settings: Settings): Finding[] {
  try {
    PlansFile.read(settings)
    return []
  } catch (error) {
    return faultsOf(error)
  }
}

/** With a proxy that is not trusted, all requests seem to come from it. */
function proxyFindings({ environment, tls, trustProxy }: Settings): Finding[] {
  if (environment !== 'production' || tls || trustProxy.length > 0) return []
  return [
    warning(
      CHECK,
      'Neither TLS_CERT_FILE nor TRUST_PROXY is set: if a proxy terminates TLS, all clients share its address',
      'List the proxy in TRUST_PROXY',
    ),
  ]
}

/** A page within the domain of passkeys can have browsers replace its visitors' passkeys by others. */
function passkeyFindings(settings: Settings): Finding[] {
  const own: readonly string[] = settings.passkeyRelatedOrigins
  const covered = listedWithin(settings, settings.passkeyRpId).filter(origin => !own.includes(origin))
  return covered.map(origin =>
    warning(
      CHECK,
      `${origin} of ALLOWED_ORIGINS is within PASSKEY_RP_ID, so its pages can replace their visitors' passkeys`,
      'Give it a host outside PASSKEY_RP_ID, or name it in PASSKEY_RELATED_ORIGINS if it is your own',
    ),
  )
}

/** Whoever writes the code of such a satellite could take over sessions of the main site. */
function cookieFindings(settings: Settings): Finding[] {
  return listedWithin(settings, settings.cookieDomain).map(origin =>
    warning(
      CHECK,
      `${origin} of ALLOWED_ORIGINS is within COOKIE_DOMAIN, so browsers send it the main site's session cookie`,
      'Give it a host outside COOKIE_DOMAIN, unless you trust it as you trust the main site',
    ),
  )
}

/** The origins of ALLOWED_ORIGINS within a domain of ours. */
function listedWithin({ satelliteOrigins }: Settings, domain: string | null): string[] {
  return [...satelliteOrigins].filter(origin => domain !== null && isWithin(new URL(origin).hostname, domain))
}
