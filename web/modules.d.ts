/** The build extracts style sheets. */
declare module '*.css'

/** Made by messages/vite-plugin.mjs from the message files. */
declare module 'virtual:languages' {
  export const languages: Readonly<
    Record<
      string,
      {
        /** What it calls itself: “Deutsch”. */
        readonly name: string
        readonly direction: 'ltr' | 'rtl'
        readonly load: () => Promise<import('./pieces/t.js').CompiledMessages>
        /** What the service may find wrong with a field. */
        readonly loadLater: () => Promise<import('./pieces/t.js').CompiledMessages>
      }
    >
  >
}
