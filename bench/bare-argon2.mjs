// What argon2id alone allows: password hashes of the seeded users verified, two at a time, and nothing else.
// Takes { hashes, password } once, then { seconds }, and answers with verifications a second.
import { verify } from '@node-rs/argon2'

const AT_WORK = 2
let hashes = []
let password = ''

process.on('message', async message => {
  if (message.hashes) {
    hashes = message.hashes
    password = message.password
    process.send('ready')
    return
  }
  process.send(await verifyFor(message.seconds * 1000))
})

async function verifyFor(milliseconds) {
  const startedAt = performance.now()
  let count = 0
  const work = async () => {
    while (performance.now() - startedAt < milliseconds) {
      const isRight = await verify(hashes[count++ % hashes.length], password)
      if (!isRight) throw new Error('a right password was not verified')
    }
  }
  await Promise.all(Array.from({ length: AT_WORK }, work))
  return count / ((performance.now() - startedAt) / 1000)
}
