/** Ends what global-setup.ts started, in the same process. */
export default async function globalTeardown(): Promise<void> {
  await globalThis.stopSharedServers?.()
}
