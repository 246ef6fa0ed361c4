function prompt --description "x"
  set a # function no
end
