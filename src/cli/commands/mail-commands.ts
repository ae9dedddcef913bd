import type { INestApplicationContext } from '@nestjs/common'
import type { Command } from 'commander'
import { FailedMailService } from '../../operators/failed-mails.js'
import { atCommandLine } from '../../platform/audit/audit-event.js'
import { causeMessage } from '../../platform/errors/api-error.js'
import { isId } from '../../platform/http/request.js'
import { inOneLine, pluralize } from '../../platform/log.js'
import {
  type CommandContext,
  explainNotFound,
  REASON,
  type WithReason,
  withService,
} from '../command-context.js'

/** As many as are kept. */
const ALL = 1_000

/** `mail:failed` and `mail:resend`. */
export function addMailCommands(program: Command, context: CommandContext): void {
  const { print } = context

  program
    .command('mail:failed')
    .description('list mails that could not be sent, newest first, one per line')
    .action(() =>
      withService(context, async app => {
        const mails = await listMails(app)
        for (const { id, failedAt, to, subject, lastError, isLinkGood } of mails)
          print(
            [id, failedAt.toISOString(), to, subject, isLinkGood ? lastError : 'its link no longer works']
              .map(inOneLine)
              .join('  '),
          )
        print(pluralize(mails.length, 'mail'))
      }),
    )

  program
    .command('mail:resend')
    .description('send a mail again that could not be sent, or all whose links still work, oldest first')
    .argument('[id]', 'as in mail:failed')
    .option('--all', 'after an outage of the mail server')
    .option(...REASON)
    .action((id: string | undefined, { all: isAll, reason }: WithReason & { all?: boolean }) =>
      withService(context, async app => {
        if ((id === undefined) !== (isAll === true)) throw new Error('Say which: an id, or --all')
        if (id === undefined) return resendAll(app, reason, context)
        await resend(app, id, reason)
        print('The mail was sent')
      }),
    )
}

/** One that fails does not stop the others. Throws an Error at the end for those that failed. */
async function resendAll(
  app: INestApplicationContext,
  reason: string | undefined,
  { print, printError }: CommandContext,
): Promise<void> {
  const mails = (await listMails(app)).filter(({ isLinkGood }) => isLinkGood).reverse()
  let failed = 0
  for (const { id, to, subject } of mails)
    try {
      await resend(app, id, reason)
    } catch (error) {
      failed++
      printError(`"${subject}" to ${to}: ${inOneLine(causeMessage(error))}`)
    }
  print(`Mails that were sent: ${mails.length - failed}`)
  if (failed > 0) throw new Error(`Mails that failed again: ${failed}`)
}

async function resend(app: INestApplicationContext, id: string, reason: string | undefined): Promise<void> {
  const none = `There is no mail ${id}`
  if (!isId(id)) throw new Error(none)
  await explainNotFound(app.get(FailedMailService).resend(id, atCommandLine(reason)), none)
}

async function listMails(app: INestApplicationContext) {
  const { mails } = await app.get(FailedMailService).list({ limit: ALL }, null)
  return mails
}
