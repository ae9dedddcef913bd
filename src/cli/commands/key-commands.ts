import type { Command } from 'commander'
import { readSettings } from '../../platform/config/read-settings.js'
import { Clock } from '../../platform/time.js'
import { generateKeys, replaceKeys, rotateKeys } from '../../tokens/signing-keys.js'
import type { CommandContext } from '../command-context.js'

/** `keys:generate`, `keys:rotate` and `keys:replace`. */
export function addKeyCommands(program: Command, { environment, print }: CommandContext): void {
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
}
