/** The build extracts style sheets. */
declare module '*.css'
