import { rmSync } from 'node:fs'

/** Ends and removes what global-setup.ts has started and made, in the same process. */
export default async function globalTeardown(): Promise<void> {
  rmSync(process.env.TEST_ARCHIVES as string, { recursive: true, force: true })
  await globalThis.stopSharedServers?.()
}
