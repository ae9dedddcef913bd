/** The children that run now. */
export const running = new Set()

// PostgreSQL takes SIGQUIT for "now"; after a SIGKILL it would leave shared memory behind.
process.on('exit', () => {
  for (const child of running) child.process.kill(child.endSignal === 'SIGINT' ? 'SIGQUIT' : 'SIGKILL')
})

/** Ends all children in order; `isMeant` picks some of them. */
export async function stopAll(isMeant = () => true) {
  await Promise.all([...running].filter(isMeant).map(child => child.stop()))
}
