import type { Command } from 'commander'
import { TotpFactors } from '../../factors/totp.js'
import { FailedMails } from '../../mail/failed-mails.js'
import { Operators } from '../../operators/operators.js'
import { readSettings } from '../../platform/config/read-settings.js'
import {
  dropRetiredSecretKeys,
  generateSecretKeys,
  rotateSecretKeys,
} from '../../platform/secrets/key-files.js'
import { Clock } from '../../platform/time.js'
import { type CommandContext, withService } from '../command-context.js'

/** `secrets:generate`, `secrets:rotate` and `secrets:reseal`. */
export function addSecretCommands(program: Command, context: CommandContext): void {
  const { environment, print } = context
  program
    .command('secrets:generate')
    .description('create the file of the keys that encrypt stored secrets')
    .option('--file <path>', 'default: SECRETS_KEYS_FILE')
    .action(async ({ file }: { file?: string }) => {
      const path = file ?? readSettings(environment).secretsKeysFile
      await generateSecretKeys(path, new Clock().now())
      print(`Created ${path}; keep it secret, and back it up apart from the database`)
    })

  program
    .command('secrets:rotate')
    .description('encrypt with the next key; what older keys have encrypted can still be read')
    .action(async () => {
      await rotateSecretKeys(readSettings(environment).secretsKeysFile, new Clock().now())
      print('Rotated; running servers pick it up within seconds')
    })

  program
    .command('secrets:reseal')
    .description('encrypt with the current key what older keys have encrypted, and drop those keys')
    .action(async () => {
      const now = new Clock().now()
      const { secretsKeysFile } = readSettings(environment)
      const all = await withService(context, async app => [
        await app.get(TotpFactors).resealAll(),
        await app.get(Operators).resealAll(),
        await app.get(FailedMails).resealAll(),
      ])
      const resealed = all.reduce((sum, each) => sum + each.resealed, 0)
      const unreadable = all.reduce((sum, each) => sum + each.unreadable, 0)
      // Those that were retired before it began, so that no server has used them since.
      const { dropped, kept } = await dropRetiredSecretKeys(secretsKeysFile, now)
      print(`Secrets that were encrypted anew: ${resealed}; old keys dropped: ${dropped}`)
      if (unreadable > 0)
        print(`Secrets whose key ${secretsKeysFile} does not have: ${unreadable}; they stay as they are`)
      if (kept > 0) print(`Old keys that servers may still use: ${kept}; run it again in ten minutes`)
    })
}
