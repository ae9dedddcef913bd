// Loaded before the program whose memory is watched: answers any message with its memory in bytes, garbage left out.
// Needs --expose-gc.
process.on('message', () => {
  globalThis.gc()
  const { heapUsed, external, rss } = process.memoryUsage()
  process.send({ used: heapUsed + external, resident: rss })
})
