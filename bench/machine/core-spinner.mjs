import { Child } from './child.mjs'
import { OTHER_CORE } from './machine.mjs'

/** Longer than any step; nothing of a run outlives it for long. */
const AT_MOST_MS = 120_000
const SPIN = `const end = Date.now() + ${AT_MOST_MS}; while (Date.now() < end);`

/**
 * Runs `work` while the load generator's core never sleeps: a process of the lowest scheduling class has it when
 * nobody else wants it. A sleeping core answers late and many requests at once, which is cheap for whoever
 * reads them; a core that is awake answers each as it comes.
 */
export async function keepCoreBusy(work) {
  const spinner = await Child.start({
    name: 'spinner',
    command: 'chrt',
    args: ['--idle', '0', process.execPath, '-e', SPIN],
    cores: OTHER_CORE,
    isReady: async () => true,
  })
  try {
    return await work()
  } finally {
    await spinner.stop()
  }
}
