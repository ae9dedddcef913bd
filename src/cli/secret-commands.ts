import type { Command } from 'commander'
import { Clock } from '../clock/clock.js'
import { readSettings } from '../config/read-settings.js'
import { generateSecretKeys, rotateSecretKeys } from '../secrets/secret-key-file.js'
import type { CommandContext } from './command-context.js'

/** `secrets:generate` and `secrets:rotate`. */
export function addSecretCommands(program: Command, { environment, print }: CommandContext): void {
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
}
