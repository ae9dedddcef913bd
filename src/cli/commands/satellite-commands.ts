import type { INestApplicationContext } from '@nestjs/common'
import type { Command } from 'commander'
import { atCommandLine } from '../../platform/audit/audit-event.js'
import { isId } from '../../platform/http/request.js'
import { pluralize } from '../../platform/log.js'
import { proofChallenge } from '../../satellites/proof.js'
import type { AccountActor, RegisteredSatellite } from '../../satellites/registered-satellites.js'
import { SatelliteAdministration, SatelliteRegistry } from '../../satellites/registry.js'
import { SatelliteVerification } from '../../satellites/verification.js'
import { Accounts } from '../../users/accounts.js'
import { isName } from '../../users/name-text.js'
import {
  type CommandContext,
  type NamedAccount,
  namedAccount,
  REASON,
  type WithReason,
  withService,
} from '../command-context.js'

interface AddOptions extends NamedAccount, WithReason {
  readonly name?: string
  readonly preview?: boolean
  readonly proven?: boolean
  readonly move?: boolean
}

/** `satellite:add`, `:list`, `:verify`, `:suspend` and `:resume`. */
export function addSatelliteCommands(program: Command, context: CommandContext): void {
  const { print } = context

  program
    .command('satellite:add')
    .description('add a satellite to an account; its host has to be proven unless you vouch for it')
    .argument('<origin>', 'as browsers send it, such as https://shop.example.net')
    .option('--account <id>', 'the account')
    .option('--owner <email>', 'the account of this user')
    .option('--name <name>', 'of a new one; default: the host')
    .option('--preview', 'for preview deployments; the origin has an asterisk in its left-most label')
    .option('--proven', 'active at once and for good, without any proof')
    .option('--move', 'with --proven: take the origin from the account that has it')
    .option(...REASON)
    .action((origin: string, options: AddOptions) =>
      withService(context, app => addSatellite(app, origin, options, context)),
    )

  program
    .command('satellite:list')
    .description('list satellites, oldest first, one per line')
    .option('--account <id>', 'only those of this account')
    .option('--owner <email>', 'only those of the account of this user')
    .action((options: NamedAccount) => withService(context, app => listSatellites(app, options, context)))

  program
    .command('satellite:verify')
    .description('look for the proof of a satellite now, and activate it')
    .argument('<id>', 'as in satellite:list')
    .option(...REASON)
    .action(async (id: string, { reason }: WithReason) => {
      const { satellite } = await withSatellite(context, id, (app, found) =>
        app.get(SatelliteVerification).verify(operatorFor(found.satellite.accountId, reason), id),
      )
      print(`${satellite.origin} is active`)
    })

  program
    .command('satellite:suspend')
    .description('close a satellite; its account cannot resume or remove it')
    .argument('<id>', 'as in satellite:list')
    .option(...REASON)
    .action(async (id: string, { reason }: WithReason) => {
      await withSatellite(context, id, (app, { satellite }) =>
        app.get(SatelliteAdministration).suspend(satellite, atCommandLine(reason)),
      )
      print('Suspended; running servers refuse its pages within two seconds')
    })

  program
    .command('satellite:resume')
    .description('open a suspended satellite without looking for its proof')
    .argument('<id>', 'as in satellite:list')
    .option(...REASON)
    .action(async (id: string, { reason }: WithReason) => {
      await withSatellite(context, id, (app, { satellite }) =>
        app.get(SatelliteAdministration).resume(satellite, atCommandLine(reason)),
      )
      print('Active again; if its proof is not found for 7 days, it is suspended again')
    })
}

async function addSatellite(
  app: INestApplicationContext,
  origin: string,
  { name = origin.replace(/^https?:\/\//, ''), preview, proven, move, reason, ...whose }: AddOptions,
  { print }: CommandContext,
): Promise<void> {
  if (move && !proven) throw new Error('--move needs --proven')
  if (!isName(name)) throw new Error('--name takes one line of 1 to 100 characters')
  const accountId = await accountOf(app, whose)
  if (accountId === null) throw new Error('Say whose it is: --account <id> or --owner <email>')
  const actor = operatorFor(accountId, reason)
  const wanted = { origin, name, kind: preview ? 'preview' : 'production' } as const
  if (!proven) return printAdded(await app.get(SatelliteRegistry).add(actor, wanted), print)
  const administration = app.get(SatelliteAdministration)
  if (!move) await administration.requireFree({ accountId, ...wanted })
  const known = await administration.findByOrigin({ accountId, ...wanted })
  if (known?.satellite.suspendedBy === 'operator')
    throw new Error(`An operator has suspended it: satellite:resume ${known.satellite.id} opens it again`)
  const vouchedFor = known ?? (await app.get(SatelliteRegistry).insert(actor, wanted))
  await app.get(SatelliteVerification).vouchFor(actor, vouchedFor, { isMove: move === true })
  print(`${known ? 'Vouched for' : 'Added'} ${vouchedFor.satellite.id}: ${origin} is active`)
}

function printAdded(
  { satellite: { id, origin }, proof }: RegisteredSatellite,
  print: CommandContext['print'],
) {
  const { dns, file } = proofChallenge(origin, proof.token)
  print(`Added ${id}: ${origin} is pending until its host is proven, by ${proof.expiresAt.toISOString()}`)
  print(`TXT record ${dns.name}: ${dns.value}`)
  if (file) print(`or file ${file.url}: ${file.content}`)
}

async function listSatellites(
  app: INestApplicationContext,
  whose: NamedAccount,
  { print }: CommandContext,
): Promise<void> {
  const found = await app.get(SatelliteAdministration).list(await accountOf(app, whose))
  for (const each of found) print(lineOf(each))
  print(pluralize(found.length, 'satellite'))
}

function lineOf({ satellite, proof }: RegisteredSatellite): string {
  const { id, state, suspendedBy, kind, accountId, origin } = satellite
  const words = [id, suspendedBy ? `${state} by ${suspendedBy}` : state, kind, accountId, origin]
  return [
    ...words,
    ...(proof.failingSince ? [`no proof since ${proof.failingSince.toISOString()}`] : []),
  ].join('  ')
}

function accountOf(app: INestApplicationContext, whose: NamedAccount): Promise<string | null> {
  return namedAccount(app, whose, async id => (await app.get(Accounts).find(id)) !== null)
}

function withSatellite<T>(
  context: CommandContext,
  id: string,
  work: (app: INestApplicationContext, found: RegisteredSatellite) => Promise<T>,
): Promise<T> {
  return withService(context, async app => {
    const found = isId(id) ? await app.get(SatelliteAdministration).find(id) : null
    if (!found) throw new Error(`There is no satellite ${id}`)
    return work(app, found)
  })
}

function operatorFor(accountId: string, reason: string | undefined): AccountActor {
  return { ...atCommandLine(reason), accountId }
}
