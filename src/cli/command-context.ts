import { stat } from 'node:fs/promises'
import type { INestApplicationContext } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { AppModule } from '../app.js'
import { Mailer } from '../mail/mailer.js'
import { readSettings } from '../platform/config/read-settings.js'
import type { Settings } from '../platform/config/settings.js'
import { OpenConnections } from '../platform/database/connection.js'
import { ApiError } from '../platform/errors/api-error.js'
import { isId } from '../platform/http/request.js'
import { Clock } from '../platform/time.js'
import { ChangeFeed } from '../sessions/change-feed.js'
import { canonicalEmail, type Email } from '../users/email.js'
import type { User } from '../users/user.js'
import { Users } from '../users/users.js'

/**
 * What a command reads from and writes to, so that it runs the same in a terminal and inside another program.
 */
export interface CommandContext {
  /** Settings, which override those of `config/<NODE_ENV>.env`. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Standard input of the program, or a stand-in for it. */
  readonly input: AsyncIterable<Uint8Array>
  /** Writes a line of the answer. */
  readonly print: (line: string) => void
  /** Writes a line that is not part of the answer: progress, and why the command failed. */
  readonly printError: (line: string) => void
}

/**
 * Runs `work` with the service's modules, without a server. They log to this process's Nest logger. Afterwards rejects
 * like {@link sendMails}.
 */
export async function withService<T>(
  { environment }: CommandContext,
  work: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const app = await start(readSettings(environment))
  try {
    // What it changes waits for it where Redis does not answer.
    await app.get<ChangeFeed | null>(ChangeFeed)?.start()
    const result = await work(app)
    await sendMails(app)
    return result
  } finally {
    await app.close()
  }
}

/** Like {@link withService}, for work on payments; throws an Error where they are off. */
export function withPayments<T>(
  context: CommandContext,
  work: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  if (!readSettings(context.environment).stripe)
    throw new Error('Payments are off: see PAYMENTS in docs/settings.md')
  return withService(context, work)
}

/** When it throws, it leaves nothing open: a connection would keep the process from ending. */
async function start(settings: Settings): Promise<INestApplicationContext> {
  const connections = new OpenConnections()
  try {
    const root = AppModule.with(settings, new Clock(), connections)
    return await NestFactory.createApplicationContext(root, { abortOnError: false })
  } catch (error) {
    await connections.close()
    throw error
  }
}

/**
 * Waits until the mail server has taken the mails of this command; they are retried for up to two minutes, which
 * closing would cut short. Throws an Error when one was given up.
 */
export async function sendMails(app: INestApplicationContext): Promise<void> {
  const mailer = app.get(Mailer)
  await mailer.flush()
  if (mailer.givenUp === 0) return
  throw new Error(
    `It is done, but mails could not be sent: ${mailer.givenUp}. mail:failed says why, and mail:resend sends them again`,
  )
}

/** Like {@link withService}, for the user with this address; throws an Error when there is none. */
export function withUser<T>(
  context: CommandContext,
  email: string,
  work: (app: INestApplicationContext, user: User) => Promise<T>,
): Promise<T> {
  return withService(context, async app => {
    const user = await app.get(Users).findByEmail(asEmail(email))
    if (!user) throw new Error(`There is no user ${email}`)
    return work(app, user)
  })
}

/** The options `--account <id>` and `--owner <email>`. */
export interface NamedAccount {
  readonly account?: string
  readonly owner?: string
}

/** The id of the account; null when none is named. Throws an Error for one that `isKnown` does not know. */
export async function namedAccount(
  app: INestApplicationContext,
  { account, owner }: NamedAccount,
  isKnown: (accountId: string) => Promise<boolean>,
): Promise<string | null> {
  if (account !== undefined && owner !== undefined) throw new Error('Use either --account or --owner')
  if (owner !== undefined) {
    const user = await app.get(Users).findByEmail(asEmail(owner))
    if (!user) throw new Error(`There is no user ${owner}`)
    return user.accountId
  }
  if (account === undefined) return null
  if (!isId(account) || !(await isKnown(account))) throw new Error(`There is no account ${account}`)
  return account
}

export function asEmail(text: string): Email {
  const email = canonicalEmail(text)
  if (!email) throw new Error(`${text} is not an e-mail address`)
  return email
}

/** Replaces the error NOT_FOUND of `work` with one that names what is missing. */
export async function explainNotFound<T>(work: Promise<T>, sentence: string): Promise<T> {
  return work.catch(error => {
    throw error instanceof ApiError && error.code === 'NOT_FOUND' ? new Error(sentence) : error
  })
}

export interface WithReason {
  readonly reason?: string
}

/** For commands that change something of a user or account: kept in the audit log, where the account can read it. */
export const REASON = ['--reason <text>', 'why, for the audit log'] as const

/** Throws an Error that names a folder, which reading it would not, or what is missing. */
export async function requireNoFolder(path: string): Promise<void> {
  if ((await stat(path)).isDirectory()) throw new Error(`${path} is a folder, not a file`)
}
