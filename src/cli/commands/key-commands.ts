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
import { generateKeys, replaceKeys, rotateKeys } from '../../tokens/signing-keys.js'
import { type CommandContext, withService } from '../command-context.js'

/** `keys:generate`, `keys:rotate`, `keys:replace`, `secrets:generate`, `secrets:rotate` and `secrets:reseal`. */
export function addKeyCommands(program: Command, context: CommandContext): void {
  const { environment, print } = context

  program
    .command('keys:generate')
    .description('create the signing keys file')
    .option('--file <path>', 'default: JWT_KEYS_FILE')
    .action(async ({ file }: { file?: string }) => {
      const path = file ?? readSettings(environment).jwtKeysFile
      await generateKeys(path, new Clock().now())
      print(`Created ${path}; keep it secret`)
    })

  program
    .command('keys:rotate')
    .description('sign with the next key, and publish a new next key')
    .action(async () => {
      const { jwtKeysFile, accessTokenTtlSeconds } = readSettings(environment)
      await rotateKeys(jwtKeysFile, new Clock().now(), accessTokenTtlSeconds)
      print('Rotated; running servers pick it up within seconds')
    })

  program
    .command('keys:replace')
    .description('after a leak: create new keys and refuse everything that the old ones signed')
    .requiredOption('--now', 'at once: every access token is refused, and clients refresh')
    .action(async () => {
      const { jwtKeysFile } = readSettings(environment)
      await replaceKeys(jwtKeysFile, new Clock().now())
      print('Replaced; running servers refuse the old keys within seconds. Restart other backends.')
    })

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
