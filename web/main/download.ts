import { callForAnswer } from './api.js'

/** Saves the service's response as a file. */
export async function download(path: string, fileName: string): Promise<void> {
  const answer = await callForAnswer('GET', path)
  saveAs(await answer.blob(), fileName)
}

/** Makes the browser save this as a file. */
export function saveAs(content: Blob, fileName: string): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  // Not immediately, because some browsers read it only after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
