/** Answers each message with what `work` makes of it. */
export function answerMessages(work) {
  process.on('message', async message => {
    process.send(await work(message))
  })
}
