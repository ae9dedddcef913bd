import { join } from 'node:path'
import ts from 'typescript'

const RESOLUTIONS: readonly ts.CompilerOptions[] = [
  { module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 },
  { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
]
/** The files of TypeScript's own library are the same for everybody. */
const libraryFiles = new Map<string, ts.SourceFile | undefined>()

/** What TypeScript finds wrong with a file of a project, resolving as Node and as a bundler does. */
export function typeFaults(folder: string, file: string, options: ts.CompilerOptions): string[] {
  return RESOLUTIONS.flatMap(resolution => {
    const all = {
      strict: true,
      noEmit: true,
      skipDefaultLibCheck: true,
      target: ts.ScriptTarget.ES2022,
      ...resolution,
      ...options,
    }
    const host = ts.createCompilerHost(all)
    const { getSourceFile } = host
    const libraryFolder = host.getDefaultLibLocation?.() ?? ''
    host.getCurrentDirectory = () => folder
    host.getSourceFile = (name, ...others) => {
      if (!name.startsWith(libraryFolder)) return getSourceFile(name, ...others)
      if (!libraryFiles.has(name)) libraryFiles.set(name, getSourceFile(name, ...others))
      return libraryFiles.get(name)
    }
    const program = ts.createProgram([join(folder, file)], all, host)
    return ts.getPreEmitDiagnostics(program).map(({ file: at, messageText }) => {
      return `${at?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
    })
  })
}
