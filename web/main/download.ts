import { callForAnswer } from './api.js'

/** Saves what the service answers as a file. */
export async function download(path: string, fileName: string): Promise<void> {
  const answer = await callForAnswer('GET', path)
  const address = URL.createObjectURL(await answer.blob())
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  // Not at once: some browsers read it only after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
