import 'reflect-metadata'
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { INestApplicationContext } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { Command } from 'commander'
import { AccountsService } from './accounts/accounts.service.js'
import { canonicalEmail, type Email } from './accounts/email.js'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH, passwordLength } from './accounts/password-text.js'
import type { User } from './accounts/user.js'
import { inWords, UserImport } from './accounts/user-import/user-import.js'
import { Users } from './accounts/users.js'
import { AppModule } from './app.module.js'
import { AuditVerifier, type NotedHead } from './audit/audit-verifier.js'
import { addBillingCommands } from './cli-billing.js'
import { Clock } from './clock/clock.js'
import { readSettings } from './config/read-settings.js'
import type { ApiError } from './errors/api-error.js'
import { PERMISSIONS, type Permission, permissionsOf } from './permissions/permissions.js'
import { SessionChanges } from './sessions/session-changes.js'
import { asSessionHandle } from './sessions/session-id.js'
import { SessionStore } from './sessions/session-store.js'
import { generateKeys, rotateKeys } from './tokens/key-file.js'

const program = new Command('mainstay').description('What operators do at the command line')

program
  .command('account:create')
  .description('make an account with its owner')
  .requiredOption('--email <address>')
  .option('--password-stdin', 'read the password from standard input; otherwise one is made and printed')
  .action(async ({ email, passwordStdin }: { email: string; passwordStdin?: boolean }) => {
    const password = passwordStdin ? await readPassword() : randomBytes(18).toString('base64url')
    const owner = await withService(app => app.get(AccountsService).createAccount(asEmail(email), password))
    console.log(`Account ${owner.accountId} with owner ${owner.email} (${owner.id})`)
    if (!passwordStdin) console.log(`Password: ${password}`)
  })

program
  .command('user:permissions')
  .description('grant exactly these permissions; live sessions have them at their next refresh')
  .argument('<email>')
  .argument('[permissions...]', PERMISSIONS.join(', '))
  .option('--none', 'take all permissions away')
  .action(async (email: string, names: string[], { none }: { none?: boolean }) => {
    if ((names.length === 0) !== (none === true)) throw new Error('Name the permissions, or say --none')
    const unknown = names.filter(name => !PERMISSIONS.includes(name as Permission))
    if (unknown.length > 0) throw new Error(`There is no permission ${unknown.join(', ')}`)
    await withUser(email, (app, user) =>
      app.get(AccountsService).grant(user, permissionsOf(names as Permission[])),
    )
    console.log(`${email}: ${names.join(', ') || 'no permissions'}`)
  })

program
  .command('user:disable')
  .description('let a user log in no more and end all sessions')
  .argument('<email>')
  .action(async (email: string) => {
    const ended = await withUser(email, (app, user) => app.get(AccountsService).disable(user))
    console.log(`${email} is disabled; ${ended} sessions ended`)
  })

program
  .command('user:enable')
  .description('let a disabled user log in again')
  .argument('<email>')
  .action(async (email: string) => {
    await withUser(email, (app, user) => app.get(AccountsService).enable(user))
    console.log(`${email} may log in again`)
  })

program
  .command('user:revoke')
  .description('end all sessions of a user')
  .argument('<email>')
  .action(async (email: string) => {
    const ended = await withUser(email, (app, user) => app.get(AccountsService).endSessions(user))
    console.log(`${ended} sessions of ${email} ended`)
  })

program
  .command('users:import')
  .description(
    'add users with their password hashes; who is there already stays as they are, so it can be run again',
  )
  .argument('<file>', 'JSON lines (docs/operations.md); - is standard input')
  .action(async (file: string) => {
    const counts = await withService(app =>
      app
        .get(UserImport)
        .run(file === '-' ? process.stdin : createReadStream(file), sentence => console.error(sentence)),
    )
    console.log(inWords(counts))
    if (counts.faults > 0) throw new Error('Mend the lines at fault and run it again')
  })

program
  .command('session:list')
  .description('the live sessions of a user')
  .argument('<email>')
  .action(async (email: string) => {
    const sessions = await withUser(email, (app, user) =>
      app.get(SessionStore).listByUser(user.id, app.get(Clock).now()),
    )
    for (const { sid, source, origin, ip, lastUsed } of sessions)
      console.log([sid, source, origin ?? 'no origin', ip, lastUsed.toISOString()].join('  '))
    console.log(`${sessions.length} sessions`)
  })

program
  .command('session:revoke')
  .description('end one session')
  .argument('<sid>', 'the public handle, as in the audit log')
  .action(async (text: string) => {
    await withService(async app => {
      const sid = asSessionHandle(text)
      const session = sid && (await app.get(SessionStore).find(sid, app.get(Clock).now()))
      if (!session) throw new Error('There is no such live session')
      await app.get(SessionChanges).end(session, null, 'ended by an operator')
    })
    console.log('The session has ended')
  })

program
  .command('keys:generate')
  .description('make the file of signing keys')
  .option('--file <path>', 'default: JWT_KEYS_FILE')
  .action(async ({ file }: { file?: string }) => {
    const path = file ?? readSettings().jwtKeysFile
    await generateKeys(path, new Clock().now())
    console.log(`${path} is made; keep it secret`)
  })

program
  .command('keys:rotate')
  .description('let the next key sign, and publish one to follow it')
  .action(async () => {
    const { jwtKeysFile, accessTokenTtlSeconds } = readSettings()
    await rotateKeys(jwtKeysFile, new Clock().now(), accessTokenTtlSeconds)
    console.log('Rotated; running servers follow within seconds')
  })

program
  .command('audit:verify')
  .description('is the audit log as it was sealed? Prints its head: note it elsewhere')
  .option('--head <hash>', 'a head noted earlier, which must still be there')
  .option('--at <position>', 'at which position it was')
  .action(async ({ head, at }: { head?: string; at?: string }) => {
    const noted = notedHead(head, at)
    const {
      sealed,
      head: last,
      faults,
    } = await withService(app => app.get(AuditVerifier).verify(fault => console.log(fault), noted))
    console.log(`${sealed} rows are sealed; head ${last.hash} at ${last.position}`)
    if (faults > 0) throw new Error(`${faults} faults in the audit log`)
  })

addBillingCommands(program, withService)

try {
  await program.parseAsync()
} catch (error) {
  console.error(explanationOf(error as Error))
  process.exitCode = 1
}

/** Servers that did not lose the store themselves have not heard of a change that it did not take. */
function explanationOf(error: Error): string {
  const { message, code } = error as Partial<ApiError> & Error
  if (code !== 'SESSION_STORE_UNAVAILABLE') return message
  return `${message}. What you asked for is recorded, but the store has not taken it: run this again`
}

/** Runs `work` in the service without its server. */
async function withService<T>(work: (app: INestApplicationContext) => Promise<T>): Promise<T> {
  const app = await NestFactory.createApplicationContext(AppModule.with(readSettings(), new Clock()), {
    logger: ['error', 'warn'],
    abortOnError: false,
  })
  try {
    return await work(app)
  } finally {
    await app.close()
  }
}

function withUser<T>(
  email: string,
  work: (app: INestApplicationContext, user: User) => Promise<T>,
): Promise<T> {
  return withService(async app => {
    const user = await app.get(Users).findByEmail(asEmail(email))
    if (!user) throw new Error(`There is no user ${email}`)
    return work(app, user)
  })
}

function notedHead(hash?: string, at?: string): NotedHead | undefined {
  if (hash === undefined && at === undefined) return undefined
  if (!/^[0-9a-f]{64}$/.test(hash ?? '')) throw new Error('--head takes the 64 hex digits of a head')
  if (at === undefined) return { hash: hash as string }
  if (!/^[1-9]\d{0,14}$/.test(at)) throw new Error('--at takes the position of a head')
  return { hash: hash as string, position: Number(at) }
}

function asEmail(text: string): Email {
  const email = canonicalEmail(text)
  if (!email) throw new Error(`${text} is not an e-mail address`)
  return email
}

async function readPassword(): Promise<string> {
  const password = (await text(process.stdin)).replace(/\r?\n$/, '')
  const length = passwordLength(password)
  if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH)
    throw new Error(`The password must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`)
  return password
}
