import { bodyOf } from '../pieces/body.js'
import { callForAnswer } from './api.js'

/** An export of few rows from among very many can send nothing for long. */
const PATIENCE_MS = 120_000

/** Saves the service's response as a file. Throws like {@link bodyOf}. */
export async function download(path: string, fileName: string): Promise<void> {
  saveAs(await bodyOf(await callForAnswer('GET', path), PATIENCE_MS), fileName)
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
