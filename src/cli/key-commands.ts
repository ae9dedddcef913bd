import type { Command } from 'commander'
import { Clock } from '../clock/clock.js'
import { readSettings } from '../config/read-settings.js'
import { generateKeys, rotateKeys } from '../tokens/key-file.js'

/** `keys:generate` and `keys:rotate`. */
export function addKeyCommands(program: Command): void {
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
}
