// Loaded before the program that is profiled: 'start' begins a CPU profile, 'stop' answers with it.
import { Session } from 'node:inspector/promises'

// Two samples a millisecond.
const SAMPLE_EVERY_MICROSECONDS = 500

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_MICROSECONDS })

process.on('message', async message => {
  if (message === 'start') {
    await session.post('Profiler.start')
    process.send('started')
  } else {
    const { profile } = await session.post('Profiler.stop')
    process.send(profile)
  }
})
