import { readFile, stat, statfs } from 'node:fs/promises'
import { loadOpenTelemetry } from '../../app.js'
import { withoutByteOrderMark } from '../../platform/config/byte-order-mark.js'
import { isWithin } from '../../platform/config/origin.js'
import { SettingsError } from '../../platform/config/read-settings.js'
import type { Settings } from '../../platform/config/settings.js'
import { GeoIp } from '../../platform/geoip.js'
import { readTlsFiles } from '../../platform/http/edge/tls-files.js'
import { PlansFile } from '../../platform/plans.js'
import { ageCountsFrom, loadSecretKeys, type RotatingKey } from '../../platform/secrets/key-files.js'
import { loadKeys } from '../../tokens/signing-keys.js'
import { type Check, certificateFinding, type Finding, fault, inBytes, ok, warning } from './finding.js'

const SETTINGS = 'settings'

/** Checks usable settings, and the plans file that they name. */
export function checkSettings(settings: Settings): Finding[] {
  const { environment, warnings } = settings
  return [
    ...planFaults(settings),
    ...warnings.map(text => warning(SETTINGS, text, 'Rename it')),
    ...proxyFindings(settings),
    ...cookieFindings(settings),
    ...passkeyFindings(settings),
    ok(SETTINGS, `usable, for ${environment}`),
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
      SETTINGS,
      'Neither TLS_CERT_FILE nor TRUST_PROXY is set: if a proxy terminates TLS, all clients share its address',
      'List the proxy in TRUST_PROXY',
    ),
  ]
}

/** The code of such a satellite could take over sessions of the main site. */
function cookieFindings(settings: Settings): Finding[] {
  return listedWithin(settings, settings.cookieDomain).map(origin =>
    warning(
      SETTINGS,
      `${origin} of ALLOWED_ORIGINS is within COOKIE_DOMAIN, so browsers send it the main site's session cookie`,
      'Give it a host outside COOKIE_DOMAIN, unless you trust it as you trust the main site',
    ),
  )
}

/** A page within the domain of passkeys can have browsers replace its visitors' passkeys by others. */
function passkeyFindings(settings: Settings): Finding[] {
  const own: readonly string[] = settings.passkeyRelatedOrigins
  const covered = listedWithin(settings, settings.passkeyRpId).filter(origin => !own.includes(origin))
  return covered.map(origin =>
    warning(
      SETTINGS,
      `${origin} of ALLOWED_ORIGINS is within PASSKEY_RP_ID, so its pages can replace their visitors' passkeys`,
      'Give it a host outside PASSKEY_RP_ID, or name it in PASSKEY_RELATED_ORIGINS if it is your own',
    ),
  )
}

/** The origins of ALLOWED_ORIGINS within a domain of ours. */
function listedWithin({ satelliteOrigins }: Settings, domain: string | null): string[] {
  return [...satelliteOrigins].filter(origin => domain !== null && isWithin(new URL(origin).hostname, domain))
}

/** The faults of settings that cannot be used; anything else is rethrown. */
export function faultsOf(error: unknown): Finding[] {
  if (!(error instanceof SettingsError)) throw error
  return error.faults.map(found => fault(SETTINGS, found, 'Correct it: the service does not start with it'))
}

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

const DAY_MS = 24 * 60 * 60 * 1000
/** A key that is less far ahead was made by a clock that was wrong for a moment. */
const AHEAD_MS = 60_000
/** Readable or writable by every user of the machine. */
const OTHERS = 0o007

interface KeyFile {
  readonly check: string
  readonly setting: string
  readonly path: string
  /** Rejects when the service could not use the file. */
  readonly load: (path: string) => Promise<unknown>
  /** How long a key should be the current one. */
  readonly rotateAfterDays: number
  readonly commands: { readonly generate: string; readonly rotate: string }
}

/** JWT_KEYS_FILE and SECRETS_KEYS_FILE: usable, unreadable for others, rotated in time. */
export function keyFileChecks({ jwtKeysFile, secretsKeysFile }: Settings, now: Date): Check[] {
  const files: KeyFile[] = [
    {
      check: 'keys.signing',
      setting: 'JWT_KEYS_FILE',
      path: jwtKeysFile,
      load: loadKeys,
      rotateAfterDays: 180,
      commands: { generate: 'keys:generate', rotate: 'keys:rotate' },
    },
    {
      check: 'keys.secrets',
      setting: 'SECRETS_KEYS_FILE',
      path: secretsKeysFile,
      load: loadSecretKeys,
      rotateAfterDays: 365,
      commands: { generate: 'secrets:generate', rotate: 'secrets:rotate' },
    },
  ]
  return files.map(file => ({
    name: file.check,
    todo: `Put the file of the other replicas there; for a new installation run ${file.commands.generate}`,
    run: () => checkFile(file, now),
  }))
}

async function checkFile(file: KeyFile, now: Date): Promise<Finding[]> {
  await file.load(file.path)
  const { keys } = JSON.parse(withoutByteOrderMark(await readFile(file.path, 'utf8'))) as {
    keys: RotatingKey[]
  }
  const findings = [...modeFindings(file, (await stat(file.path)).mode), ...ageFindings(file, keys, now)]
  const current = keys.find(({ state }) => state === 'current') as RotatingKey
  const days = Math.max(0, Math.floor(msSince(ageCountsFrom(current), now) / DAY_MS))
  return [...findings, ok(file.check, `the current key is ${current.kid}, in use for ${days} days`)]
}

function modeFindings({ check, setting, path }: KeyFile, mode: number): Finding[] {
  if ((mode & OTHERS) === 0) return []
  return [
    fault(
      check,
      `${setting} ${path} can be read by every user of this machine`,
      `Run chmod o-rwx ${path}; if others use this machine, treat the keys as leaked`,
    ),
  ]
}

function ageFindings(file: KeyFile, keys: readonly RotatingKey[], now: Date): Finding[] {
  const { check, setting, rotateAfterDays, commands } = file
  const ahead = keys.find(key => msSince(new Date(key.createdAt), now) < -AHEAD_MS)
  if (ahead)
    return [
      fault(
        check,
        `Key ${ahead.kid} of ${setting} was made at ${ahead.createdAt}, which is in the future`,
        'Synchronise the clocks of all machines with NTP',
      ),
    ]
  if (!keys.some(({ state }) => state === 'next'))
    return [
      fault(check, `${setting} has no next key, so it cannot be rotated`, `Restore the file as it was made`),
    ]
  const isOld = keys.some(
    key => key.state === 'current' && msSince(ageCountsFrom(key), now) > rotateAfterDays * DAY_MS,
  )
  return isOld
    ? [
        warning(
          check,
          `The current key has been in use for more than ${rotateAfterDays} days`,
          `Run ${commands.rotate}`,
        ),
      ]
    : []
}

function msSince(moment: Date, now: Date): number {
  return now.getTime() - moment.getTime()
}

const FAULT_BELOW = 0.05
const WARN_BELOW = 0.15
/** On a large disk, 5 % may be plenty. */
const PLENTY_BYTES = 50e9

/** The free space on the disk of DATA_DIR, which holds the embedded database; other databases have their own disks. */
export async function checkDisk({ dataDir }: Settings): Promise<Finding[]> {
  const found = await statfs(dataDir).catch(() => null)
  if (!found) return [ok('disk', `${dataDir} does not exist yet`)]
  const free = found.bavail * found.bsize
  const share = found.bavail / Math.max(1, found.blocks)
  const saw = `${inBytes(free)} (${Math.floor(share * 100)} %) are free in ${dataDir}`
  const todo = `Make room on the disk of ${dataDir}`
  if (share >= WARN_BELOW || free > PLENTY_BYTES) return [ok('disk', saw)]
  return [share < FAULT_BELOW ? fault('disk', saw, todo) : warning('disk', saw, todo)]
}
