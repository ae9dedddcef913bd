import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { SavedState, State } from './state.js'

// One click makes several changes, which are written together.
const COALESCE_MS = 20

/** Saves a State in a JSON file. Only its owner can read it, because it has customers' e-mail addresses. */
export class StateFile {
  private writing: Promise<void> | null = null
  private isStale = false
  /** Why the last write failed. A full disk must not stop the server in this process. */
  private failure: Error | null = null

  private constructor(
    private readonly path: string,
    private readonly state: State,
  ) {}

  /**
   * Restores the state from the file, if there is one, and saves every later change. Rejects when the file is
   * not ours.
   */
  static async open(path: string, state: State): Promise<StateFile> {
    await mkdir(dirname(path), { recursive: true })
    const file = new StateFile(path, state)
    await file.read()
    state.changed = () => file.save()
    return file
  }

  /** Resolves when the last change is in the file; rejects when it could not be written. */
  async flush(): Promise<void> {
    while (this.writing) await this.writing
    if (this.failure) throw new Error(`${this.path} could not be written`, { cause: this.failure })
  }

  private async read(): Promise<void> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
    if (text === null) return
    try {
      this.state.restore(JSON.parse(text) as SavedState)
    } catch (cause) {
      throw new Error(`${this.path} is not a payment sandbox state: delete it to start afresh`, { cause })
    }
  }

  private save(): void {
    this.isStale = true
    this.writing ??= this.write().finally(() => {
      this.writing = null
    })
  }

  private async write(): Promise<void> {
    while (this.isStale) {
      await new Promise(resolve => setTimeout(resolve, COALESCE_MS))
      this.isStale = false
      this.failure = await this.replaceFile().then(
        () => null,
        (error: Error) => error,
      )
    }
  }

  /** Readers, and a start after a crash, see the old file or the new one, never half of one. */
  private async replaceFile(): Promise<void> {
    await writeFile(`${this.path}.tmp`, JSON.stringify(this.state), { mode: 0o600 })
    await rename(`${this.path}.tmp`, this.path)
  }
}
