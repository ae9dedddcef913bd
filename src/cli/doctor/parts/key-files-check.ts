import { readFile, stat } from 'node:fs/promises'
import { withoutByteOrderMark } from '../../../platform/config/byte-order-mark.js'
import type { Settings } from '../../../platform/config/settings.js'
import { ageCountsFrom, loadSecretKeys, type RotatingKey } from '../../../platform/secrets/key-files.js'
import { loadKeys } from '../../../tokens/signing-keys.js'
import { type Check, type Finding, fault, ok, warning } from '../finding.js'

const DAY_MS = 24 * 60 * 60 * 1000
/** A key that is less far ahead was made by a clock that was wrong for a moment. */
const AHEAD_MS = 60_000
/** Readable or writable by everybody on the machine. */
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
      `${setting} ${path} can be read by everybody on this machine`,
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
