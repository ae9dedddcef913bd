/** A page that is still here after this has not been left: the network is down, or somebody pressed Escape. */
const PATIENCE_MS = 10_000

/**
 * Waits until this page is gone. An action that sends the browser elsewhere stays busy that long, so that a
 * second click does nothing.
 */
export function untilLeft(): Promise<void> {
  return new Promise(resolve => {
    addEventListener('pagehide', () => resolve(), { once: true })
    setTimeout(resolve, PATIENCE_MS)
  })
}
