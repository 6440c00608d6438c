-- A module of Lmod for an archive that was unpacked: put this file as runcast/0.1.0.lua into MODULEPATH, and its folder here.
help([[Forecasts how parallel programs run on machines their users do not have: runcast quickstart, man runcast]])
whatis("Name: runcast")
whatis("Version: 0.1.0")

local root = "/opt/runcast/0.1.0"
prepend_path("PATH", pathJoin(root, "bin"))
prepend_path("MANPATH", pathJoin(root, "share/man"))
prepend_path("FPATH", pathJoin(root, "share/zsh/site-functions"))
