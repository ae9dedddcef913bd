/** A page that is still here then has not been left: the network is gone, or somebody pressed Escape. */
const PATIENCE_MS = 10_000

/** Until this page is gone. What sends the browser elsewhere stays busy as long, so that a second press does nothing. */
export function untilLeft(): Promise<void> {
  return new Promise(resolve => {
    addEventListener('pagehide', () => resolve(), { once: true })
    setTimeout(resolve, PATIENCE_MS)
  })
}
