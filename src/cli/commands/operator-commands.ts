import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { totpUri } from '../../factors/totp.js'
import { Operators } from '../../operators/operators.js'
import { Settings } from '../../platform/config/settings.js'
import { pluralize } from '../../platform/log.js'
import { asEmail, type CommandContext, withService } from '../command-context.js'

/** `operator:add`, `:list` and `:disable`. */
export function addOperatorCommands(program: Command, context: CommandContext): void {
  const { print } = context

  program
    .command('operator:add')
    .description(
      'give a person access to the operator console; prints a password and a secret for an authenticator app',
    )
    .argument('<email>')
    .action((email: string) =>
      withService(context, async app => {
        const password = randomBytes(18).toString('base64url')
        const { totpSecret } = await app.get(Operators).add(asEmail(email), password)
        const { operators, brand } = app.get(Settings)
        const uri = totpUri(totpSecret, { issuer: `${brand.name} operators`, label: asEmail(email) })
        print(`${email} is an operator. This is shown once:`)
        print(`Password: ${password}`)
        print(`Authenticator app: ${uri}`)
        print(
          operators ? `Console: ${operators.origin}` : 'There is no console before OPERATOR_ORIGIN is set',
        )
      }),
    )

  program
    .command('operator:list')
    .description('list the operators, oldest first, one per line')
    .action(() =>
      withService(context, async app => {
        const all = await app.get(Operators).list()
        for (const { id, email, disabledAt } of all)
          print([id, email, ...(disabledAt ? [`disabled ${disabledAt.toISOString()}`] : [])].join('  '))
        print(pluralize(all.length, 'operator'))
      }),
    )

  program
    .command('operator:disable')
    .description('disable an operator and end their sessions at once')
    .argument('<email>')
    .action((email: string) =>
      withService(context, async app => {
        if (!(await app.get(Operators).disable(asEmail(email))))
          throw new Error(`There is no operator ${email} who can log in`)
        print(`${email} is disabled`)
      }),
    )
}
