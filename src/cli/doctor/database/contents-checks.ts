import type { Settings } from '../../../platform/config/settings.js'
import { loadSecretKeys } from '../../../platform/secrets/key-files.js'
import { lookUpTxt, proofChallenge, resolverOf } from '../../../satellites/proof.js'
import { type Check, type Finding, fault, ok, skipped, warning } from '../finding.js'
import type { PostgresSession } from './postgres-session.js'
import { statementTodo } from './statement-todo.js'

const MAX_NAMED = 3

/** Contents of the database that need something outside of it: keys, the proofs of satellites, the seals. */
export function contentsChecks(postgres: PostgresSession, settings: Settings): Check[] {
  const todo = statementTodo('its own tables')
  return [
    { name: 'keys.sealed', todo, run: () => checkSealedSecrets(postgres, settings) },
    { name: 'settings.passkeys', todo, run: () => checkPasskeys(postgres, settings) },
    { name: 'satellites.proofs', todo, run: () => checkProofs(postgres, settings) },
    { name: 'audit.seals', todo, run: () => checkSeals(postgres) },
  ]
}

/** A replica with another file may have sealed secrets that this file cannot open. */
async function checkSealedSecrets(
  postgres: PostgresSession,
  { secretsKeysFile }: Settings,
): Promise<Finding[]> {
  const check = 'keys.sealed'
  const keys = await loadSecretKeys(secretsKeysFile).catch(() => null)
  if (!keys) return [skipped(check, 'SECRETS_KEYS_FILE cannot be used')]
  const used = await postgres.rows<{ kid: string; count: number }>(
    `select split_part(sealed, '.', 1) as kid, count(*)::int as count from (
      select secret as sealed from totp_factors
      union all select totp_secret from operators
      union all select sealed from failed_mails
    ) as secrets group by 1`,
  )
  const unknown = used.filter(({ kid }) => !keys.some(key => key.kid === kid))
  const old = used.filter(({ kid }) => keys.some(key => key.kid === kid && key.state === 'retired'))
  return [
    ...unknown.map(({ kid, count }) =>
      fault(
        check,
        `${count} secrets are encrypted with the key ${kid}, which SECRETS_KEYS_FILE does not have`,
        'Give all replicas the file that has it; without it users need their factors reset, operators operator:disable and operator:add, and mails that failed are lost',
      ),
    ),
    ...old.map(({ kid, count }) =>
      warning(check, `${count} secrets are encrypted with the retired key ${kid}`, 'Run secrets:reseal'),
    ),
    ...(unknown.length + old.length === 0 ? [ok(check, 'every stored secret has its key')] : []),
  ]
}

/** Passkeys belong to one domain for ever; the service does not start with another. */
async function checkPasskeys(postgres: PostgresSession, { passkeyRpId }: Settings): Promise<Finding[]> {
  const check = 'settings.passkeys'
  const [other] = await postgres.rows<{ rpId: string }>(
    'select rp_id as "rpId" from passkeys where rp_id <> $1 limit 1',
    [passkeyRpId],
  )
  if (!other) return [ok(check, `PASSKEY_RP_ID is ${passkeyRpId}, as of all passkeys`)]
  return [
    fault(
      check,
      `PASSKEY_RP_ID is ${passkeyRpId}, but there are passkeys of ${other.rpId}: the service does not start`,
      `Set PASSKEY_RP_ID=${other.rpId}`,
    ),
  ]
}

interface Proofs {
  readonly lookedUp: number
  readonly overdue: number
}

async function checkProofs(postgres: PostgresSession, settings: Settings): Promise<Finding[]> {
  const from = `from satellites s join satellite_proofs p on p.satellite_id = s.id
    where s.state = 'active' and p.method in ('dns', 'file')`
  const { lookedUp, overdue } = await postgres.row<Proofs>(
    `select count(*)::int as "lookedUp",
      count(*) filter (where p.checked_at < now() - interval '3 days')::int as overdue ${from}`,
  )
  const failing = await postgres.rows<{ origin: string; since: Date }>(
    `select s.origin, p.failing_since as since ${from} and p.failing_since is not null order by since`,
  )
  return [
    await checkResolver(settings, lookedUp),
    failingFinding(failing, lookedUp),
    ...(overdue > 0
      ? [
          fault(
            'satellites.checks',
            `The proofs of ${overdue} satellites have not been looked up for three days`,
            'Look for errors of the daily check in the log of the service',
          ),
        ]
      : []),
  ]
}

function failingFinding(failing: readonly { origin: string; since: Date }[], lookedUp: number): Finding {
  const check = 'satellites.proofs'
  if (failing.length === 0) return ok(check, `${lookedUp} satellites have their proofs`)
  const named = failing
    .slice(0, MAX_NAMED)
    .map(({ origin, since }) => `${origin} since ${since.toISOString().slice(0, 10)}`)
  return warning(
    check,
    `The proofs of ${failing.length} of ${lookedUp} satellites are not found: ${named.join(', ')}`,
    'Tell their accounts; after seven days a satellite is suspended (satellite:list shows all)',
  )
}

/** Any answer will do, even that there is no such record. Without satellites nobody is waiting for one. */
async function checkResolver({ dnsServers, mainOrigin }: Settings, lookedUp: number): Promise<Finding> {
  const check = 'satellites.resolver'
  const { name } = proofChallenge(mainOrigin, '').dns
  const { fault: reason, isOutage } = await lookUpTxt(resolverOf(dnsServers), name)
  if (!isOutage) return ok(check, 'the name servers answer')
  const saw = `A look-up failed: ${reason}`
  const todo = 'Fix the resolver, or point DNS_SERVERS to another and restart'
  return lookedUp > 0 ? fault(check, saw, todo) : warning(check, saw, todo)
}

async function checkSeals(postgres: PostgresSession): Promise<Finding[]> {
  const check = 'audit.seals'
  const [newest] = await postgres.rows<{ isSealed: boolean }>(
    `select exists (select from audit_chain c where c.audit_id = a.id) as "isSealed" from audit_log a
      where a.at < now() - interval '10 minutes' order by a.at desc limit 1`,
  )
  if (newest?.isSealed !== false) return [ok(check, 'the audit log is sealed')]
  return [
    warning(
      check,
      'The audit log has rows that are ten minutes old and not sealed',
      'Run audit:verify, which seals them, and look whether the service runs',
    ),
  ]
}
