extension BrowsePage {
    static let style = """
        :root { color-scheme: light dark; --line: #8884; --accent: #c33; }
        * { box-sizing: border-box; }
        body { margin: 0; font: 14px/1.45 system-ui, sans-serif; }
        header { display: flex; flex-wrap: wrap; gap: .7em; align-items: center; padding: .6em 1em; border-bottom: 1px solid var(--line); }
        header b { color: var(--accent); }
        #facts, #count { opacity: .7; }
        #user { margin-left: auto; }
        button, select, input, textarea { font: inherit; padding: .25em .6em; border: 1px solid var(--line); border-radius: 4px; background: transparent; color: inherit; }
        select option { color: black; background: white; }
        button { cursor: pointer; }
        button:disabled { opacity: .4; cursor: default; }
        button.on { border-color: var(--accent); }
        main { padding: 1em; }
        #documents:not([hidden]) { display: grid; grid-template-columns: minmax(14em, 26em) 1fr; gap: 1.2em; }
        #search { display: flex; gap: .5em; }
        #prefix { flex: 1; min-width: 0; }
        ul { list-style: none; margin: .6em 0; padding: 0; }
        #ids li, #log li { padding: .15em .4em; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; cursor: pointer; }
        #ids li:hover, #ids li.on { background: #8882; }
        #text { width: 100%; height: 55vh; font: 13px/1.4 ui-monospace, monospace; resize: vertical; }
        #statement { width: 100%; height: 7em; font: 13px/1.4 ui-monospace, monospace; resize: vertical; }
        h1 { font-size: 1.2em; margin: 0 0 .6em; overflow-wrap: anywhere; }
        h2 { font-size: 1em; margin: 1em 0 .2em; }
        .wide { overflow: auto; max-height: 70vh; }
        table { border-collapse: collapse; }
        th, td { border: 1px solid var(--line); padding: .2em .5em; text-align: left; vertical-align: top; max-width: 40em; overflow-wrap: anywhere; font: 13px ui-monospace, monospace; }
        th { position: sticky; top: 0; background: Canvas; }
        td.none { opacity: .4; }
        pre { overflow: auto; }
        #problem { margin: 0; padding: .6em 1em; background: #c333; white-space: pre-wrap; }
        #sign-in:not([hidden]) { display: grid; gap: .7em; max-width: 20em; margin: 3em auto; }
        @media (max-width: 700px) { #documents:not([hidden]) { grid-template-columns: 1fr; } }
        """
}
